from django.urls import path, re_path

from . import views

app_name = "judging"
urlpatterns = [
    re_path(r"^screens/(?P<screen_id>[-\w]{1,24})/answer/$", views.answer, name="answer"),
    re_path(r"^screens/(?P<screen_id>[-\w]{1,24})/skip/$", views.skip, name="skip"),
    re_path(r"^screens/(?P<screen_id>[-\w]{1,24})/change/$", views.change, name="change"),
    re_path(r"^screens/(?P<screen_id>[-\w]{1,24})/note/$", views.note, name="note"),
    path("<slug:slug>/", views.judge, name="judge"),
    path("<slug:slug>/start/", views.start, name="start"),
    path("<slug:slug>/undo/", views.undo, name="undo"),
    path("<slug:slug>/own/", views.own, name="own"),
    path("<slug:slug>/history/", views.history, name="history"),
    path("<slug:slug>/next-image/", views.next_image, name="next_image"),
    path("<slug:slug>/methods/add/", views.add_method, name="add_method"),
    path("<slug:slug>/methods/withdraw/", views.withdraw_method, name="withdraw_method"),
]
