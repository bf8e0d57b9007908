/**
 * What the processes of one port count of the same callers: each tells the others, so that no request waits for another
 * process.
 */
import { type Peers, peers } from '../platform/peers.ts'

/** How long what one process counts stays unknown to the others of its port. */
const SHARE_MS = 50

/** A key, what is counted of it, and how much more of it there is. */
type Told<Kind extends string> = [key: string, kind: Kind, amount: number]

/** The amounts of one sort. For a hub of one process nothing here does anything. */
export class SharedAmounts<Kind extends string> {
  /** Whether there are other processes to tell. */
  readonly areShared: boolean
  readonly #topic: string
  readonly #peers: Peers
  /** What was counted here and is not told yet. */
  #untold = new Map<string, Told<Kind>>()

  /** `hear` counts what another process has counted; `name` is that of the sort, the same in each process. */
  constructor(name: string, hear: (...told: Told<Kind>) => void, through: Peers = peers) {
    this.#peers = through
    this.areShared = through.areThere
    this.#topic = `amounts ${name}`
    if (!this.areShared) return
    through.whenTold(this.#topic, (told) => {
      for (const each of told as Told<Kind>[]) hear(...each)
    })
  }

  /** Tells the others what was counted here, at most every 50 ms. */
  note(key: string, kind: Kind, amount: number): void {
    if (!this.areShared) return
    if (this.#untold.size === 0) setTimeout(() => this.#tell(), SHARE_MS).unref()
    const name = `${kind} ${key}`
    const noted = this.#untold.get(name)
    if (noted) noted[2] += amount
    else this.#untold.set(name, [key, kind, amount])
  }

  #tell(): void {
    const untold = [...this.#untold.values()]
    this.#untold = new Map()
    this.#peers.tell(this.#topic, untold)
  }
}
