-- The name of a repo as another client gave it. Null for all repos of an older hub: their name is the slug.
ALTER TABLE repos
  ADD COLUMN hf_name text,
  ADD CONSTRAINT repos_hf_name_form CHECK (hf_name ~ '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$'
    AND translate(lower(hf_name), '._', '--') = slug AND hf_name <> slug);
