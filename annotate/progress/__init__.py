"""Progress of a study, its members and the settings that may still change."""
