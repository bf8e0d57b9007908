/** Loaded into a hub by `--import`: its clock is ahead by the milliseconds that the file HUB_CLOCK_FILE says, as they are at the moment. Timers continue as they do. */
import { readFileSync } from 'node:fs'

const READ_MS = 100

const file = process.env.HUB_CLOCK_FILE
if (file) {
  const RealDate = Date
  let aheadMs = 0
  const read = () => {
    aheadMs = Number(readFileSync(file, 'utf8'))
  }
  read()
  setInterval(read, READ_MS).unref()
  const now = () => RealDate.now() + aheadMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
}
