-- AlterTable
ALTER TABLE "rollouts" ADD COLUMN     "drawn_by" TEXT,
    ADD CONSTRAINT "rollouts_drawn_by" CHECK (char_length(drawn_by) BETWEEN 1 AND 200);
