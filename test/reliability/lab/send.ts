/** One request over HTTP, without a library between the load and the hub. */
import { Agent, request } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

export interface Sending {
  readonly method: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Without a byte for so long the connection is given up. */
  readonly silentMs: number
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** Rejects where the connection breaks or stays silent before the answer is whole. */
export function send({ method, url, headers = {}, body, silentMs }: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, method, headers }, (response) => {
      const pieces: Buffer[] = []
      response
        .on('data', (piece: Buffer) => pieces.push(piece))
        .on('error', reject)
        .on('close', () => reject(new Error('The answer ended in its middle.')))
        .on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(pieces) }),
        )
    })
    asking.setTimeout(silentMs, () => asking.destroy(new Error('No answer came.')))
    asking.on('error', reject).end(body)
  })
}
