-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "disabled_at" TIMESTAMPTZ(3);
