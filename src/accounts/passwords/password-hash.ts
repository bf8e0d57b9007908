/** Passwords as scrypt hashes them (RFC 7914). */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { passwordTurns } from './password-turns.ts'

/** What OWASP asks of scrypt: 128 MiB and about half a second of one processor for each guess. */
const COST_LOG2 = 17
const BLOCK_SIZE = 8
const PARALLELIZATION = 1

const SALT_BYTES = 16
const HASH_BYTES = 32

interface Parameters {
  readonly costLog2: number
  readonly blockSize: number
  readonly parallelization: number
}

const current: Parameters = { costLog2: COST_LOG2, blockSize: BLOCK_SIZE, parallelization: PARALLELIZATION }

const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

/** A hash that no password has: an unknown name costs the same time as a known one. */
const unmatched = format(current, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES))

/** One spelling for each password, whatever keyboard typed it. */
const spelled = (password: string) => password.normalize('NFKC')

/**
 * Hashes a password. `asker` is who asks for it: one asker takes no more than their part of the turns. Errors: 503
 * where too many wait.
 */
export async function hashPassword(password: string, asker: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return format(current, salt, await derive(password, salt, current, asker))
}

/** Whether a password is the hashed one; false after the same time where `hash` is null. Errors as `hashPassword`. */
export async function isPassword(password: string, hash: string | null, asker: string): Promise<boolean> {
  const match = form.exec(hash ?? unmatched)
  if (!match) throw new Error('A stored password has an unknown form.')
  const [, costLog2, blockSize, parallelization, salt = '', wanted = ''] = match
  const parameters = {
    costLog2: Number(costLog2),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  }
  const found = await derive(password, Buffer.from(salt, 'base64'), parameters, asker)
  return timingSafeEqual(found, Buffer.from(wanted, 'base64')) && hash !== null
}

/** Without padding, as the form of hashes has it. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

function format({ costLog2, blockSize, parallelization }: Parameters, salt: Buffer, hash: Buffer): string {
  return `$scrypt$ln=${costLog2},r=${blockSize},p=${parallelization}$${base64(salt)}$${base64(hash)}`
}

function derive(password: string, salt: Buffer, parameters: Parameters, asker: string): Promise<Buffer> {
  const { costLog2, blockSize, parallelization } = parameters
  const N = 2 ** costLog2
  // Node refuses what needs more than `maxmem`: twice what the parameters take.
  const options = { N, r: blockSize, p: parallelization, maxmem: 2 * 128 * N * blockSize }
  return passwordTurns.take(
    asker,
    () =>
      new Promise((resolve, reject) => {
        scrypt(spelled(password), salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
      }),
  )
}
