-- Of a session that is there already it is not known: the default is for those to come.
ALTER TABLE "sessions" ADD COLUMN "signed_in_at" TIMESTAMPTZ(3);
ALTER TABLE "sessions" ALTER COLUMN "signed_in_at" SET DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "passwords" (
    "account_id" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "passwords_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "passwords_hash_form" CHECK (hash ~ '^\$scrypt\$ln=\d{1,2},r=\d{1,2},p=\d{1,2}\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$')
);

-- CreateTable
CREATE TABLE "sign_in_delays" (
    "subject_sha256" BYTEA NOT NULL,
    "level" DOUBLE PRECISION NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_in_delays_pkey" PRIMARY KEY ("subject_sha256"),
    CONSTRAINT "sign_in_delays_bounds" CHECK (octet_length(subject_sha256) = 32 AND level >= 0)
);

-- CreateIndex
CREATE INDEX "sign_in_delays_last_at_idx" ON "sign_in_delays"("last_at");

-- AddForeignKey
ALTER TABLE "passwords" ADD CONSTRAINT "passwords_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
