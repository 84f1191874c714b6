from django.urls import path, re_path

from . import views

app_name = "guide"
urlpatterns = [
    path("", views.protocol_list, name="list"),
    path("playground/", views.playground_page, name="playground"),
    path("playground/score/", views.score, name="score"),
    re_path(r"^img/(?P<name>[a-z0-9-]+\.svg)\Z", views.picture, name="picture"),
    path("about/<slug:name>/", views.shared_page, name="page"),
    path("<slug:slug>/", views.protocol_page, name="protocol"),
]
