/**
 * What the processes of one port count of the same callers: each tells the others, so that no request waits for another
 * process.
 */
import { type Peers, peers } from '../platform/peers.ts'

/** How long what one process counts stays unknown to the others of its port. */
const SHARE_MS = 50
const TOPIC = 'amounts'

/** A key, what is counted of it, and how much more of it there is. */
type Told = [key: string, kind: string, amount: number]

/**
 * What this process has counted and not told yet, of all sorts. They go in one message: it costs this process, the
 * supervisor and each of the others about as much as a third of a small read, however much it says.
 */
class Untold {
  readonly #peers: Peers
  readonly #heard = new Map<string, (...told: Told) => void>()
  #bySort = new Map<string, Map<string, Told>>()

  constructor(through: Peers) {
    this.#peers = through
    through.whenTold(TOPIC, (bySort) => {
      for (const [sort, told] of bySort as [string, Told[]][]) for (const each of told) this.#heard.get(sort)?.(...each)
    })
  }

  hear(sort: string, hear: (...told: Told) => void): void {
    this.#heard.set(sort, hear)
  }

  add(sort: string, key: string, kind: string, amount: number): void {
    if (this.#bySort.size === 0) setTimeout(() => this.#tell(), SHARE_MS).unref()
    let noted = this.#bySort.get(sort)
    if (!noted) {
      noted = new Map()
      this.#bySort.set(sort, noted)
    }
    const name = `${kind} ${key}`
    const known = noted.get(name)
    if (known) known[2] += amount
    else noted.set(name, [key, kind, amount])
  }

  #tell(): void {
    const told = [...this.#bySort].map(([sort, noted]) => [sort, [...noted.values()]])
    this.#bySort = new Map()
    this.#peers.tell(TOPIC, told)
  }
}

const untoldOf = new WeakMap<Peers, Untold>()

/** The amounts of one sort. For a hub of one process nothing here does anything. */
export class SharedAmounts<Kind extends string> {
  readonly #sort: string
  readonly #untold: Untold | null

  /** `hear` counts what another process has counted; `sort` is a name of its own, the same in each process. */
  constructor(sort: string, hear: (key: string, kind: Kind, amount: number) => void, through: Peers = peers) {
    this.#sort = sort
    this.#untold = through.areThere ? (untoldOf.get(through) ?? new Untold(through)) : null
    if (!this.#untold) return
    untoldOf.set(through, this.#untold)
    this.#untold.hear(sort, (key, kind, amount) => hear(key, kind as Kind, amount))
  }

  /** Whether there are other processes to tell. */
  get areShared(): boolean {
    return this.#untold !== null
  }

  /** Tells the others what was counted here, within 50 ms. */
  note(key: string, kind: Kind, amount: number): void {
    this.#untold?.add(this.#sort, key, kind, amount)
  }
}
