/**
 * Parts of uploads as a person would write them: a signed path, bytes that are counted and hashed on their way to a new
 * file, which is on the disk before it has its name. Turns, other parts of the upload and what a crash leaves are left
 * out.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'

const URL_SECONDS = 3600
const key = process.env.HUB_SECRET ?? 'bench-secret-bench-secret-bench-secret'

const sealOf = (name: string, size: number, expires: number) =>
  createHmac('sha256', key)
    .update(JSON.stringify([name, size, expires]))
    .digest('base64url')

/** Allows one PUT of so many bytes, for an hour. */
export function signedPartPath(name: string, size: number): string {
  const expires = Math.floor(Date.now() / 1000) + URL_SECONDS
  return `/parts/${name}?size=${size}&expires=${expires}&signature=${sealOf(name, size, expires)}`
}

/** Answers `PUT /parts/NAME`; parts are files of the folder. */
export async function partRoutes(app: FastifyInstance, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  // The folder is synced for each part: its name is there after a loss of power.
  const names = await open(folder)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    scope.put('/parts/:name', async (request, reply) => {
      const { name } = request.params as { readonly name: string }
      const { size, expires, signature = '' } = request.query as Readonly<Record<string, string>>
      assertSigned(sealOf(name, Number(size), Number(expires)), signature, Number(expires))
      const draft = join(folder, `.${name}`)
      const etag = await writeDraft(draft, request.raw, Number(size))
      await rename(draft, join(folder, name))
      await names.sync()
      return reply.header('etag', `"${etag}"`).send()
    })
  })
}

function assertSigned(expected: string, given: string, expires: number): void {
  const [wanted, had] = [Buffer.from(expected), Buffer.from(given)]
  if (wanted.length !== had.length || !timingSafeEqual(wanted, had)) throw new Error('bad signature')
  if (expires * 1000 < Date.now()) throw new Error('expired')
}

/** The MD5 of the bytes. */
async function writeDraft(path: string, body: IncomingMessage, size: number): Promise<string> {
  const file = await open(path, 'wx', 0o600)
  try {
    const md5 = createHash('md5')
    let written = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      written += chunk.byteLength
      if (written > size) throw new Error('too large')
      md5.update(chunk)
      await file.writeFile(chunk)
    }
    if (written < size) throw new Error('too small')
    await file.datasync()
    return md5.digest('hex')
  } finally {
    await file.close()
  }
}
