-- AlterTable
ALTER TABLE "rollouts" ADD COLUMN     "cameras" JSON,
    ADD CONSTRAINT "rollouts_cameras" CHECK (json_typeof(cameras) = 'object' AND octet_length(cameras::text) <= 4096);
