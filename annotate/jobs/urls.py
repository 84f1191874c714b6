from django.urls import path

from . import views

app_name = "jobs"
urlpatterns = [
    path("", views.work, name="work"),
    path("<int:pk>/", views.job, name="job"),
    path("<int:pk>/file", views.file, name="file"),
    path("<int:pk>/cancel/", views.cancel, name="cancel"),
    path("<int:pk>/again/", views.again, name="again"),
    path("<int:pk>/mail/", views.mail, name="mail"),
]
