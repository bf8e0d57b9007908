/** Passwords as scrypt hashes them (RFC 7914). */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { passwordTurns } from './password-turns.ts'

const BLOCK_SIZE = 8
const PARALLELIZATION = 1

const SALT_BYTES = 16
const HASH_BYTES = 32

interface Parameters {
  readonly costLog2: number
  readonly blockSize: number
  readonly parallelization: number
}

/** How a hub hashes, and for whom: one asker takes no more than their part of the turns. */
export interface Hashing {
  /** The setting `PASSWORD_COST`. */
  readonly costLog2: number
  readonly asker: string
}

const parametersOf = ({ costLog2 }: Hashing): Parameters => ({
  costLog2,
  blockSize: BLOCK_SIZE,
  parallelization: PARALLELIZATION,
})

const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

/** A hash that no password has: an unknown name costs the same time as a known one. */
const unmatched = (parameters: Parameters) => format(parameters, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES))

/** One spelling for each password, whatever keyboard typed it. */
const spelled = (password: string) => password.normalize('NFKC')

/** Hashes a password. Errors: 503 where too many wait. */
export async function hashPassword(password: string, hashing: Hashing): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const parameters = parametersOf(hashing)
  return format(parameters, salt, await derive(password, salt, parameters, hashing.asker))
}

/** Whether a password is the hashed one; false after the same time where `hash` is null. Errors as `hashPassword`. */
export async function isPassword(password: string, hash: string | null, hashing: Hashing): Promise<boolean> {
  const { parameters, salt, wanted } = read(hash ?? unmatched(parametersOf(hashing)))
  const found = await derive(password, Buffer.from(salt, 'base64'), parameters, hashing.asker)
  return timingSafeEqual(found, Buffer.from(wanted, 'base64')) && hash !== null
}

/** The hash of a password that `hash` is known to be of, at the current cost; null if it has that cost. */
export async function hashAtCost(password: string, hash: string, hashing: Hashing): Promise<string | null> {
  return read(hash).parameters.costLog2 === hashing.costLog2 ? null : hashPassword(password, hashing)
}

function read(hash: string) {
  const match = form.exec(hash)
  if (!match) throw new Error('A stored password has an unknown form.')
  const [, costLog2, blockSize, parallelization, salt = '', wanted = ''] = match
  const parameters = {
    costLog2: Number(costLog2),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  }
  return { parameters, salt, wanted }
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
