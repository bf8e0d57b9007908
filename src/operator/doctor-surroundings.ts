/** What a hub stands on and is reached by: disks, the object store, PUBLIC_URL. */
import { randomBytes } from 'node:crypto'
import { mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sizeText } from 'hub/client-output'
import { z } from 'zod'
import { addressUrl, type Config, type S3Settings } from '../platform/config.ts'
import { hubVersion } from '../platform/version.ts'
import { openDataFolder } from '../store/data-folder.ts'
import { openS3Store } from '../store/objects/s3.ts'
import { FILE_MODE, FOLDER_MODE } from '../store/private-folder.ts'
import { type Check, fail, ok, warn } from './doctor-checks.ts'
import { clockCheck } from './doctor-database.ts'
import { pagesCheck } from './doctor-pages.ts'
import { pageOrigins } from './page-origins.ts'

const TIMEOUT_MS = 5000
const GIB = 1024 ** 3
/** The hub refuses uploads below this. */
const NONE_LEFT_BYTES = 16 * 1024 ** 2
const LITTLE_LEFT_BYTES = 2 * GIB
const LITTLE_LEFT_SHARE = 0.05

export const versionCheck = (): Check => ok('version', `hub ${hubVersion}, Node ${process.versions.node}`)

/** The disk of the data folder, which has the embedded database and the objects of the disk store. */
export async function diskCheck({ dataDir, databaseUrl, objectStore }: Config): Promise<Check[]> {
  if (databaseUrl !== null && objectStore.kind !== 'disk') return []
  const place = await statfs(dataDir).catch(() => null)
  if (place === null) return []
  return [diskState(dataDir, place.bavail * place.bsize, place.blocks * place.bsize)]
}

/** A start closes the data folder to other users where it can. */
export async function dataFolderCheck({ dataDir }: Config): Promise<Check[]> {
  if ((await stat(dataDir).catch(() => null)) === null) return []
  const open = await openDataFolder(dataDir)
  if (open === null) return [ok('data folder', `${dataDir} is closed to other users`)]
  const fix = `give the hub a folder of its own, or: chmod 0700 ${dataDir}`
  return [warn('data folder', open, `start the hub, which closes what is its own; ${fix}`)]
}

/** How much room a disk has; in bytes. */
export function diskState(dir: string, free: number, whole: number): Check {
  const detail = `${sizeText(free)} free of ${sizeText(whole)} at ${dir}`
  const fix = 'make room, or move HUB_DATA_DIR to a larger disk (hub backup create, then restore)'
  if (free < NONE_LEFT_BYTES) return fail('disk', detail, fix)
  if (free < LITTLE_LEFT_BYTES || free < LITTLE_LEFT_SHARE * whole) return warn('disk', detail, fix)
  return ok('disk', detail)
}

/** Writes, reads and removes an object of its own. */
export async function storeChecks(config: Config): Promise<Check[]> {
  const { objectStore: store } = config
  if (store.kind === 'none')
    return [warn('object store', 'none: requests for files are 503', 'set OBJECT_STORE to disk or s3')]
  if (store.kind === 's3') return s3Checks(store.s3, pageOrigins(config))
  const made = await stat(store.dir).catch(() => null)
  if (made === null) return [ok('object store', `${store.dir}, made at the first start`)]
  const probe = join(store.dir, 'tmp', `doctor-${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(join(store.dir, 'tmp'), { recursive: true, mode: FOLDER_MODE })
    await writeFile(probe, 'doctor', { flag: 'wx', flush: true, mode: FILE_MODE })
    return [ok('object store', `${store.dir} can be written`)]
  } catch (error) {
    return [
      fail(
        'object store',
        `${store.dir} cannot be written: ${messageOf(error)}`,
        `let the user of the hub write there`,
      ),
    ]
  } finally {
    await rm(probe, { force: true }).catch(() => undefined)
  }
}

async function s3Checks(settings: S3Settings, origins: readonly string[]): Promise<Check[]> {
  const place = `${settings.endpoint ?? `AWS ${settings.region}`}, bucket ${settings.bucket}`
  const store = openS3Store(settings)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const key = `doctor/${randomBytes(8).toString('hex')}`
  try {
    await store.put(key, Buffer.from('doctor'), { sizeBytes: 6, signal })
    const { body } = await store.get(key, { signal })
    const same = Buffer.concat(await body.toArray()).toString() === 'doctor'
    const pages = same ? [await pagesCheck(settings, origins, key)] : []
    await store.delete([key], signal)
    const state = same
      ? ok('object store', `${place}, written, read and deleted`)
      : fail(
          'object store',
          `${place} returned other bytes than were written`,
          'check what stands between the hub and the store',
        )
    return [state, ...pages, ...(await s3Clock(settings))]
  } catch (error) {
    return [
      fail(
        'object store',
        `${place}: ${messageOf(error)}`,
        'check S3_ENDPOINT, S3_BUCKET and the keys; they need Get, Put, Delete and List',
      ),
    ]
  } finally {
    await store.close()
  }
}

/** A store refuses signatures of another time: 15 minutes at S3. Answers have its time to the second. */
async function s3Clock({ endpoint, region }: S3Settings): Promise<Check[]> {
  const url = endpoint ?? `https://s3.${region}.amazonaws.com`
  const answer = await fetch(url, {
    method: 'HEAD',
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null)
  const date = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(date)) return []
  const apart = (date - Date.now()) / 1000
  return [clockCheck('store clock', 'the object store', Math.abs(apart) < 1 ? 0 : apart)]
}

const jwks = z.object({ keys: z.array(z.object({ kid: z.string() })) })

const howToReachIt = 'start the hub; if it runs, check DNS, proxy and firewall'
/** The address is then made of settings of this terminal, which need not be those of the hub's. */
const howToFindIt = 'start the hub; if it runs, set PORT and HOST here as it has them'

/** Asks for the hub's public keys where people reach it: the answer must be that of the hub with this database. */
export async function publicUrlCheck(config: Config, kid: string | null): Promise<Check> {
  const url = config.publicUrl ?? addressUrl(config)
  const name = 'public url'
  const shown = config.publicUrl === null ? `${url} (PUBLIC_URL is not set)` : url
  const answer = await fetch(`${url}/.well-known/jwks.json`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => messageOf(error))
  if (typeof answer === 'string')
    return warn(name, `${shown} does not answer`, config.publicUrl === null ? howToFindIt : howToReachIt)
  const to = answer.headers.get('location')
  if (answer.status >= 300 && answer.status < 400)
    return fail(
      name,
      `${shown} redirects to ${to}`,
      'set PUBLIC_URL to the address that does not redirect: links are made from it',
    )
  const found = jwks.safeParse(await answer.json().catch(() => null))
  if (!answer.ok || !found.success)
    return fail(
      name,
      `${shown} answers ${answer.status}, and not as a hub`,
      'set PUBLIC_URL to the address of the hub, and let the proxy pass all paths',
    )
  if (kid !== null && !found.data.keys.some((key) => key.kid === kid))
    return fail(
      name,
      `${shown} is another hub: it does not have the keys of this database`,
      'set PUBLIC_URL and DATABASE_URL to those of one hub',
    )
  return ok(name, `${shown} is this hub`)
}

const discovery = z.object({ issuer: z.string() })

/** The issuer must say that it is the one of the settings, or every token of it is refused. */
export async function signInCheck({ oidc }: Config): Promise<Check[]> {
  if (oidc === null) return []
  const address = `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null)
  if (answer === null) return [fail('sign-in', `${oidc.issuer} does not answer`, 'check OIDC_ISSUER and the network')]
  const found = discovery.safeParse(await answer.json().catch(() => null))
  if (!found.success)
    return [
      fail(
        'sign-in',
        `${address} is not a discovery document (${answer.status})`,
        'set OIDC_ISSUER to the issuer, without the path of the document',
      ),
    ]
  if (found.data.issuer !== oidc.issuer)
    return [
      fail('sign-in', `${oidc.issuer} calls itself ${found.data.issuer}`, `set OIDC_ISSUER to ${found.data.issuer}`),
    ]
  return [
    ok('sign-in', `${oidc.issuer}${oidc.clientId === undefined ? ', tokens only: OIDC_CLIENT_ID is not set' : ''}`),
  ]
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
