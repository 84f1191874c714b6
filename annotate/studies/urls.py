from django.urls import path

from . import views

urlpatterns = [path("<slug:slug>/state/", views.set_state, name="set_state")]
