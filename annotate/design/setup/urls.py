from django.urls import path

from . import views

app_name = "setup"
urlpatterns = [
    path("new/", views.start, name="start"),
    path("new/<slug:dataset_slug>/", views.begin, name="begin"),
    path("new/<int:pk>/images/", views.images, name="images"),
    path("new/<int:pk>/open/", views.finish, name="finish"),
    path("new/<int:pk>/discard/", views.discard, name="discard"),
    path("new/<int:pk>/preview/", views.preview, name="preview"),
    path("new/<int:pk>/<slug:step>/", views.step, name="step"),
    path("<slug:slug>/preview/", views.preview_of_study, name="preview_of_study"),
]
