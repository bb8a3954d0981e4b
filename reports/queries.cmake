# Embeds views.sql and queries/*.sql into assay_reports.
