# Embeds schema.sql into assay_store.
