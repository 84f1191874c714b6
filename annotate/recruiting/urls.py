from django.urls import path

from . import views

app_name = "recruiting"
urlpatterns = [
    path("<slug:slug>/recruit/", views.entrances, name="entrances"),
    path("<slug:slug>/recruit/<int:number>/", views.entrance, name="entrance"),
    path("<slug:slug>/recruit/<int:number>/state/", views.set_state, name="set_state"),
    path("<slug:slug>/recruit/<int:number>/<slug:kind>.csv", views.payment, name="payment"),
    path("<slug:slug>/recruit/<int:number>/erase/", views.erase, name="erase"),
    path("<slug:slug>/recruit/<int:number>/preview/<slug:step>/", views.preview, name="preview"),
]
