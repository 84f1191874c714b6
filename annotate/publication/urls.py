from django.urls import path

from . import views

app_name = "publication"
urlpatterns = [
    path("<slug:slug>/report/paper/", views.paper, name="paper"),
    path("<slug:slug>/reports/<int:pk>/paper/", views.kept_paper, name="kept_paper"),
    path("<slug:slug>/reports/<int:pk>/public/", views.publish, name="publish"),
    path("<slug:slug>/reports/<int:pk>/public/withdraw/", views.withdraw, name="withdraw"),
]
