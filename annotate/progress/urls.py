from django.urls import include, path

from . import views

app_name = "studies"
urlpatterns = [
    path("<slug:slug>/", views.detail, name="detail"),
    path("<slug:slug>/settings/", views.change_settings, name="settings"),
    path("<slug:slug>/members/", views.members, name="members"),
    path("<slug:slug>/members/add/", views.add_member, name="add_member"),
    path("<slug:slug>/members/<int:pk>/role/", views.change_member, name="change_member"),
    path("<slug:slug>/members/<int:pk>/remove/", views.remove_member, name="remove_member"),
    path("", include("annotate.studies.urls")),
]
