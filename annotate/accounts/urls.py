from django.urls import path

from . import views

app_name = "accounts"
urlpatterns = [
    path("invitation/", views.invitation, name="invitation"),
    path("invitation/join/", views.join, name="join"),
    path("invitation/<str:token>/", views.open_invitation, name="open_invitation"),
    path("people/", views.invitations, name="invitations"),
    path("people/invitations/<int:pk>/revoke/", views.revoke, name="revoke"),
    path("studies/<slug:slug>/invitations/", views.study_invitations, name="study_invitations"),
    path("account/", views.account, name="account"),
]
