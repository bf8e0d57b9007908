/** A file to S3 and back with nothing but the AWS SDK: the least that a client of S3 must do. */
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { PART_SIZE_BYTES } from '../../src/files/limits.ts'
import type { S3Settings } from '../../src/platform/config.ts'
import { s3Client } from '../../src/store/objects/s3-client.ts'
import { MIB } from './measure.ts'

/** As many parts at a time as `hub push` sends. */
const PARALLEL = 4

/** Transfers in the bucket of `settings`, which can be made and taken away with all that is in it. */
export function openSdkTransfer(settings: S3Settings) {
  const client = s3Client(settings)
  const Bucket = settings.bucket
  const remove = async (Key: string) => {
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
  }
  return {
    async createBucket() {
      await client.send(new CreateBucketCommand({ Bucket }))
    },
    async upload(Key: string, file: string) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
      const { size } = await stat(file)
      const waiting = Array.from({ length: Math.ceil(size / PART_SIZE_BYTES) }, (_, index) => index + 1)
      const Parts: { PartNumber: number; ETag: string | undefined }[] = []
      const lane = async () => {
        for (let PartNumber = waiting.shift(); PartNumber; PartNumber = waiting.shift()) {
          const start = (PartNumber - 1) * PART_SIZE_BYTES
          const end = Math.min(start + PART_SIZE_BYTES, size)
          const Body = createReadStream(file, { start, end: end - 1, highWaterMark: MIB })
          const part = { Bucket, Key, UploadId, PartNumber, Body, ContentLength: end - start }
          Parts.push({ PartNumber, ETag: (await client.send(new UploadPartCommand(part))).ETag })
        }
      }
      await Promise.all(Array.from({ length: PARALLEL }, lane))
      const MultipartUpload = { Parts: Parts.toSorted((a, b) => a.PartNumber - b.PartNumber) }
      await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }))
    },
    async download(Key: string, file: string) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      await pipeline(Body as Readable, createWriteStream(file, { highWaterMark: MIB }))
    },
    remove,
    async dropBucket() {
      for await (const page of paginateListObjectsV2({ client }, { Bucket }))
        for (const { Key } of page.Contents ?? []) if (Key) await remove(Key)
      await client.send(new DeleteBucketCommand({ Bucket }))
    },
    close: () => client.destroy(),
  }
}
