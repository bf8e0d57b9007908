-- The form of a digest is checked for each version of a row. A repetition with a count takes 20 µs to match; a length and a set of characters take 0.5 µs.
-- What is there has the form already, so no table is read for it.
ALTER TABLE uploads DROP CONSTRAINT uploads_digest_form,
  ADD CONSTRAINT uploads_digest_form CHECK (octet_length(sha256) = 64 AND sha256 ~ '^[a-f0-9]+$') NOT VALID;
ALTER TABLE blobs DROP CONSTRAINT blobs_digest_form,
  ADD CONSTRAINT blobs_digest_form CHECK (octet_length(sha256) = 64 AND sha256 ~ '^[a-f0-9]+$'
    AND octet_length(claimed) = 64 AND claimed ~ '^[a-f0-9]+$') NOT VALID;
ALTER TABLE runs DROP CONSTRAINT runs_hash_form,
  ADD CONSTRAINT runs_hash_form CHECK (octet_length(recipe_hash) = 64 AND recipe_hash ~ '^[a-f0-9]+$') NOT VALID;
