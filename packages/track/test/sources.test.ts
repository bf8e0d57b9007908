/** Files of metrics that grow, are cut off, and start over; and the spool that they end up in. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { templateOf } from '../src/new-run.ts'
import { csvSource } from '../src/sources/csv-source.ts'
import { endTornLine } from '../src/sources/lines-source.ts'
import { metricFile, metricFileNow } from '../src/sources/metric-file.ts'
import { objectOf, openSpool, type Spool } from '../src/spool.ts'

let base: string
let spool: Spool
let file: string
const said: string[] = []

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hub-track-'))
  spool = openSpool(join(base, 'spool'))
  file = join(base, 'metrics.jsonl')
  said.length = 0
})
afterEach(() => {
  spool.close()
  rmSync(base, { recursive: true, force: true })
})

const objects = () =>
  readFileSync(join(base, 'spool'), 'utf8')
    .split('\n')
    .map(objectOf)
    .filter((text) => text !== '')

async function open(path = file) {
  return metricFile(await metricFileNow(path), { spool, logLine: (line) => said.push(line) })
}

describe('a file of JSON lines', () => {
  it('is read line by line, each once, also by a later process', async () => {
    const now = await metricFileNow(file)
    const options = { spool, logLine: (line: string) => said.push(line) }
    const first = metricFile(now, options)
    writeFileSync(file, '{"a":1.0}\n{"a":')
    await first.poll(false)
    await first.poll(false)
    expect(objects()).toEqual(['{"a":1.0}'])
    appendFileSync(file, '2}\n{"a":3}')
    await metricFile(now, options).poll(false)
    expect(objects()).toEqual(['{"a":1.0}', '{"a":2}'])
    await metricFile(now, options).poll(true)
    await metricFile(now, options).poll(true)
    expect(objects()).toEqual(['{"a":1.0}', '{"a":2}', '{"a":3}'])
  })

  it('keeps a last line that is cut off out, also at the end', async () => {
    const source = await open()
    writeFileSync(file, '{"a":1}\n{"a":2, "b"')
    await source.poll(true)
    expect(objects()).toEqual(['{"a":1}'])
    await endTornLine(file)
    appendFileSync(file, '{"a":3}\n')
    await source.poll(true)
    expect(objects()).toEqual(['{"a":1}', '{"a":3}'])
  })

  it('is read from its beginning once it starts over', async () => {
    writeFileSync(file, '{"old":1}\n{"old":2}\n')
    const source = await open()
    writeFileSync(file, '{"new":1}\n{"new":2}\n{"new":3}\n')
    await source.poll(false)
    expect(objects()).toEqual(['{"new":1}', '{"new":2}', '{"new":3}'])
    writeFileSync(file, '{"b":1}\n')
    await source.poll(false)
    await source.poll(true)
    expect(objects()).toEqual(['{"new":1}', '{"new":2}', '{"new":3}', '{"b":1}'])
  })

  it('loses a line of more than 1 MiB, and says so', async () => {
    const source = await open()
    writeFileSync(file, `{"a":1}\n{"long":"${'x'.repeat(3 * 1024 * 1024)}"}\n{"a":2}\n`)
    await source.poll(false)
    expect(objects()).toEqual(['{"a":1}', '{"a":2}'])
    expect(said).toEqual([`a line of ${file} is longer than 1 MiB and is left out`])
  })
})

describe('a CSV file', () => {
  it('is lines of metrics with the numbers as they are written', async () => {
    const csv = join(base, 'progress.csv')
    const source = await open(csv)
    writeFileSync(csv, 'step,"a, b",c\n1,0.10,\n2,1e')
    await source.poll(false)
    expect(objects()).toEqual(['{"step":1,"a, b":0.10}'])
    appendFileSync(csv, '-3,"two\nlines"\n3,+4,nan')
    await source.poll(false)
    await source.poll(true)
    expect(objects()).toEqual([
      '{"step":1,"a, b":0.10}',
      '{"step":2,"a, b":1e-3,"c":"two\\nlines"}',
      '{"step":3,"a, b":"+4","c":"nan"}',
    ])
  })

  it('loses the line of a quote that is not closed, and nothing behind it', async () => {
    const csv = join(base, 'progress.csv')
    const logLine = (line: string) => said.push(line)
    const source = csvSource({ file: csv, name: csv, spool, logLine, window: 64 })
    const rows = Array.from({ length: 12 }, (_, row) => `${row},1e-9\n`).join('')
    writeFileSync(csv, `step,a\n1,5" tube\n${rows}`)
    await source.poll(false)
    expect(objects()).toHaveLength(12)
    appendFileSync(csv, '8,"\n9,1\n')
    await source.poll(true)
    expect(objects().slice(12)).toEqual(['{"step":9,"a":1}'])
    expect(said.filter((line) => line.includes('has no end'))).toHaveLength(1)
  })
})

describe('the spool', () => {
  it('drops a line that a kill cut off, and knows how far each source was read', () => {
    spool.append('one', [{ to: 10, text: '{"a":1}' }])
    spool.append('a name of words', [{ to: 7, text: '{"b":1}' }])
    spool.append('one', [{ to: 20, text: '{"a":2}' }])
    appendFileSync(join(base, 'spool'), '1 30 {"a":')
    const again = openSpool(join(base, 'spool'))
    expect([again.offsetOf('one'), again.offsetOf('a name of words'), again.offsetOf('none')]).toEqual([20, 7, 0])
    again.append('one', [{ to: 30, text: '{"a":3}' }])
    again.close()
    expect(objects()).toEqual(['{"a":1}', '{"b":1}', '{"a":2}', '{"a":3}'])
  })

  it('leaves nothing of a write that did not fit on the disk', () => {
    const file = join(base, 'full')
    let isFull = false
    const disk = openSpool(file, (fd, bytes, at) => {
      if (isFull && at > 0) throw new Error('ENOSPC')
      return writeSync(fd, bytes, at, isFull ? 7 : bytes.length - at)
    })
    disk.append('one', [{ to: 10, text: '{"a":1}' }])
    isFull = true
    for (const source of ['one', 'two'])
      expect(() => disk.append(source, [{ to: 20, text: '{"a":2}' }])).toThrow('ENOSPC')
    expect([disk.offsetOf('one'), disk.offsetOf('two')]).toEqual([10, 0])
    isFull = false
    for (const source of ['two', 'one']) disk.append(source, [{ to: 20, text: '{"a":2}' }])
    disk.close()
    const again = openSpool(file)
    expect([again.offsetOf('one'), again.offsetOf('two')]).toEqual([20, 20])
    again.close()
    expect(readFileSync(file, 'utf8').split('\n').map(objectOf).filter(Boolean)).toEqual([
      '{"a":1}',
      '{"a":2}',
      '{"a":2}',
    ])
  })
})

it.each([
  [['python', 'train.py', '--lr', '1'], 'train'],
  [['python3.11', '-m', 'lerobot.train', '--x=1'], 'lerobot.train'],
  [['env', 'A=1', './run.sh'], 'run'],
  [['torchrun', '--nproc=2', 'src/fit.py'], 'fit'],
  [['./walk'], 'walk'],
  [['bash'], 'bash'],
  [['bash', '-c', 'export API_TOKEN=abc; python train.py'], 'bash'],
  [['sh -c API_TOKEN=abc'], 'command'],
])('%j trains %s', (argv, template) => {
  expect(templateOf(argv)).toBe(template)
})
