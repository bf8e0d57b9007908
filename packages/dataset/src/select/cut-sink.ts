/** Where the files of a selection go. */

/** A file that is written from its start to its end. */
export interface NewFile {
  append(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** The files of a new data set. */
export interface CutSink {
  /** Rejects where there is a file of this path already, or the path leaves the folder. */
  create(path: string): Promise<NewFile>
}

/** Why a selection of a data set cannot be written, in words. */
export class CannotSelect extends Error {
  override readonly name = 'CannotSelect'
}

/** What a reader of the data set rejected with, as why it cannot be selected from. */
export function cannotSelect(error: unknown): never {
  throw new CannotSelect(error instanceof Error ? error.message : String(error), { cause: error })
}

/** A text whole. */
export async function writeText(sink: CutSink, path: string, parts: Iterable<string> | AsyncIterable<string>) {
  const file = await sink.create(path)
  for await (const part of parts) await file.append(new TextEncoder().encode(part))
  await file.close()
}
