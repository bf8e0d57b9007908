/** How a file can be shown, by its name. Pure. */

export type PreviewKind =
  | 'markdown'
  | 'json'
  | 'table'
  | 'text'
  | 'image'
  | 'video'
  | 'audio'
  | 'parquet'
  | 'tensors'
  | 'archive'
  | 'pdf'
  | 'none'

const endings: Readonly<Record<Exclude<PreviewKind, 'none'>, string>> = {
  markdown: 'md markdown',
  json: 'json',
  table: 'csv tsv',
  text:
    'txt jsonl log xml mjcf urdf yaml yml toml ini cfg py sh ts js c cc cpp h hpp rs obj mtl gitignore hubignore ' +
    'sdf usda srdf xacro license',
  image: 'png jpg jpeg gif webp avif svg',
  video: 'mp4 webm mov m4v',
  audio: 'wav mp3 ogg flac',
  parquet: 'parquet',
  tensors: 'onnx safetensors',
  archive: 'npz npy zip',
  pdf: 'pdf',
}
const kinds = new Map(
  Object.entries(endings).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as PreviewKind])),
)

export function previewKind(path: string): PreviewKind {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return kinds.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'none'
}

/** Whether the file may be the model of a robot, by its name. */
export const isModelName = (path: string): boolean => /\.(?:xml|mjcf|urdf)$/i.test(path)

/** Names of a language by which `highlight.js` knows it. */
const languages: Readonly<Record<string, string>> = {
  xml: 'xml mjcf urdf sdf srdf xacro svg html',
  json: 'json jsonl',
  yaml: 'yaml yml',
  ini: 'toml ini cfg',
  python: 'py python',
  bash: 'sh bash shell console',
  typescript: 'ts typescript tsx',
  javascript: 'js javascript jsx',
  cpp: 'c cc cpp h hpp c++',
  rust: 'rs rust',
  diff: 'diff patch',
}
const languageOf = new Map(
  Object.entries(languages).flatMap(([language, names]) => names.split(' ').map((name) => [name, language])),
)

/** By the ending of a file's name, or the word after the fence in Markdown; null where none is known. */
export const codeLanguage = (name: string): string | null =>
  languageOf.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? null

/** JSON on lines of its own; text that is not JSON, or cut off, as it is. */
export function prettyJson(text: string): string {
  // Digits past the precision of a JavaScript number would be lost.
  if (/\d{16}/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The first rows of delimited text (RFC 4180). Quoted cells may have delimiters, line ends and doubled quotes. */
export function tableRows(text: string, delimiter: string, most: number): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  for (let index = 0; index < text.length && rows.length < most; index += 1) {
    const character = text[index] as string
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[index + 1] === '"') {
        cell += '"'
        index += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === delimiter) {
      row.push(cell)
      cell = ''
    } else if (character === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')])
      row = []
      cell = ''
    } else cell += character
  }
  if (rows.length < most && (cell !== '' || row.length > 0)) rows.push([...row, cell])
  return rows
}
