from django.urls import path

from . import views

app_name = "learning"
urlpatterns = [
    path("<slug:slug>/", views.welcome, name="welcome"),
    path("<slug:slug>/cards/<int:number>/", views.card, name="card"),
    path("<slug:slug>/short/", views.short, name="short"),
    path("<slug:slug>/practice/", views.practice, name="practice"),
    path("<slug:slug>/practice/<int:round_number>/<int:number>/", views.pair, name="pair"),
    path("<slug:slug>/keys/", views.keys, name="keys"),
    path("<slug:slug>/finish/", views.finish, name="finish"),
]
