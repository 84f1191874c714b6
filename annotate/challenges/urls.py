from django.urls import path, re_path

from . import views

app_name = "challenges"
urlpatterns = [
    path("new/<slug:dataset>/", views.new, name="new"),
    path("<slug:slug>/", views.challenge, name="challenge"),
    path("<slug:slug>/settings/", views.settings, name="settings"),
    path("<slug:slug>/settings/<slug:part>/", views.part, name="part"),
    path("<slug:slug>/organisers/", views.organisers, name="organisers"),
    path("<slug:slug>/study/", views.study, name="study"),
    path("<slug:slug>/team/", views.team, name="team"),
    path("<slug:slug>/entries/<int:pk>/", views.entry, name="entry"),
    path("<slug:slug>/entries/<int:pk>/act/", views.act, name="act"),
    path("<slug:slug>/entries/<int:pk>/images/<int:image>/", views.image, name="image"),
    re_path(r"^(?P<slug>[-\w]+)/truth\.(?P<extension>zip|json)$", views.truth, name="truth"),
    path("<slug:slug>/standings/", views.standings, name="standings"),
    re_path(
        r"^(?P<slug>[-\w]+)/standings/(?P<split>\w+)\.(?P<extension>csv|json|tex|md)$",
        views.file,
        name="file",
    ),
    re_path(
        r"^(?P<slug>[-\w]+)/standings/figure\.(?P<extension>svg|png|pdf)$",
        views.figure,
        name="figure",
    ),
]
