-- AlterTable
ALTER TABLE "robot_checks" ADD COLUMN     "card_faults" JSON;
