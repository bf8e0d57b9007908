-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "made_with" TEXT;
