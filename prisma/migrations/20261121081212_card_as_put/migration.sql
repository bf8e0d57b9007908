-- Existing cards get their size before the column must have one. JSONB had sorted their members: what order they were put in is gone.
ALTER TABLE "robot_cards" ALTER COLUMN "card" SET DATA TYPE JSON;
ALTER TABLE "robot_cards" ADD COLUMN "card_bytes" INTEGER;
UPDATE "robot_cards" SET "card_bytes" = octet_length("card"::text);
ALTER TABLE "robot_cards" ALTER COLUMN "card_bytes" SET NOT NULL;
