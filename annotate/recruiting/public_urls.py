from django.urls import path

from . import public_views as views

app_name = "join"
urlpatterns = [
    path("<slug:slug>/", views.start, name="start"),
    path("<slug:slug>/frame/", views.frame, name="frame"),
    path("<slug:slug>/visit/", views.visit, name="visit"),
    path("<slug:slug>/go-on/", views.go_on, name="go_on"),
    path("<slug:slug>/withdraw/", views.withdraw, name="withdraw"),
    path("<slug:slug>/done/", views.done, name="done"),
]
