-- Claims name the hub that made them: one that is gone holds them no longer.

-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN     "instance" INTEGER;

-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "instance" INTEGER;
