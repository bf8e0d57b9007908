-- CreateEnum
CREATE TYPE "FitVerdict" AS ENUM ('as_is', 'mapped', 'none');

-- AlterTable
-- Repos of an older hub wait for a job, which reads them in the order of their ids: the default of a new column rewrites no row.
ALTER TABLE "repos" ADD COLUMN     "body_pending" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "repos" ALTER COLUMN "body_pending" SET DEFAULT false;
CREATE INDEX repos_body_pending ON repos (id) WHERE body_pending;

-- CreateTable
CREATE TABLE "bodies" (
    "is_robot" BOOLEAN NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "joints_key" TEXT NOT NULL,
    "body" JSON NOT NULL,
    "fits_pending" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "bodies_pkey" PRIMARY KEY ("is_robot","fingerprint"),
    CONSTRAINT "bodies_bounds" CHECK (octet_length(body::text) <= 32768),
    CONSTRAINT "bodies_fingerprints_form" CHECK (fingerprint ~ '^[0-9a-f]{64}$' AND joints_key ~ '^[0-9a-f]{64}$')
);

CREATE INDEX bodies_fits_pending ON bodies (is_robot, fingerprint) WHERE fits_pending;

-- CreateTable
CREATE TABLE "repo_bodies" (
    "repo_id" TEXT NOT NULL,
    "is_robot" BOOLEAN NOT NULL,
    "fingerprint" TEXT,
    "path" TEXT,
    "seq" INTEGER,

    CONSTRAINT "repo_bodies_pkey" PRIMARY KEY ("repo_id"),
    CONSTRAINT "repo_bodies_source" CHECK ((path IS NULL) = is_robot AND (seq IS NULL) = is_robot)
);

-- CreateTable
CREATE TABLE "body_fits" (
    "robot_fingerprint" TEXT NOT NULL,
    "source_fingerprint" TEXT NOT NULL,
    "verdict" "FitVerdict" NOT NULL,

    CONSTRAINT "body_fits_pkey" PRIMARY KEY ("robot_fingerprint","source_fingerprint")
);

-- CreateIndex
CREATE INDEX "bodies_is_robot_joints_key_fingerprint_idx" ON "bodies"("is_robot", "joints_key", "fingerprint");

-- CreateIndex
CREATE INDEX "repo_bodies_is_robot_fingerprint_repo_id_idx" ON "repo_bodies"("is_robot", "fingerprint", "repo_id");

-- CreateIndex
CREATE INDEX "body_fits_robot_fingerprint_verdict_source_fingerprint_idx" ON "body_fits"("robot_fingerprint", "verdict", "source_fingerprint");

-- CreateIndex
CREATE INDEX "body_fits_source_fingerprint_verdict_robot_fingerprint_idx" ON "body_fits"("source_fingerprint", "verdict", "robot_fingerprint");

-- AddForeignKey
ALTER TABLE "repo_bodies" ADD CONSTRAINT "repo_bodies_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repo_bodies" ADD CONSTRAINT "repo_bodies_is_robot_fingerprint_fkey" FOREIGN KEY ("is_robot", "fingerprint") REFERENCES "bodies"("is_robot", "fingerprint") ON DELETE RESTRICT ON UPDATE CASCADE;
