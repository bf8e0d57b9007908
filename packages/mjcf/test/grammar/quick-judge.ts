/** MuJoCo and the grammar check side by side, in this process: thousands of small documents that do not crash it. */
import loadMujoco from '@mujoco/mujoco'
import { Faults, type ModelFault } from '../../src/fault.ts'
import { checkGrammar } from '../../src/grammar/check-grammar.ts'
import { parseXml } from '../../src/xml/parse-xml.ts'

/** An instance breaks after some 1,500 errors, whose memory it does not free. */
const ERRORS_AN_INSTANCE = 400

const silent = () => ({ print: () => {}, printErr: () => {} })
let mujoco = await loadMujoco(silent())
let errors = 0

/** MuJoCo's error for a document, '' if it compiles. */
export async function mujocoError(document: string): Promise<string> {
  if (errors >= ERRORS_AN_INSTANCE) {
    mujoco = await loadMujoco(silent())
    errors = 0
  }
  try {
    mujoco.MjModel.from_xml_string(document).delete()
    return ''
  } catch (error) {
    errors += 1
    return error instanceof Error ? error.message : String(error)
  }
}

/** How MuJoCo words what the grammar is about; other errors come from rules beyond it. */
const GRAMMAR_ERRORS = [
  /Schema violation|unrecognized model element|World body cannot|invalid keyword|duplicate keyword|in order|canonical order/,
  /problem reading|bad format|number is too large|enough data|too much data|required attribute missing|characters/,
  /zero quat|multiple orientation|strictly positive|greater than 0|must be >= -1|unsigned integer|(?<!sensor dim must be )non-negative|exceed 30/,
  /between 0 and 5|larger than 3|gridlayout|texture attribute cannot|out of bounds|custom field|text field|unknown object type/,
  /'num' must|can only be used|curve array|origin must|cannot both be|elevation data|coordinates no longer|duplicate config/,
  /userdata too large/,
]

/** Whether an error of MuJoCo is one that the grammar check must report. */
export function ofTheGrammar(error: string): boolean {
  return GRAMMAR_ERRORS.some((pattern) => pattern.test(error))
}

/** The grammar check's faults and warnings for a document. */
export function grammarFaults(document: string): { faults: ModelFault[]; warnings: ModelFault[] } {
  const faults = new Faults()
  const warnings: ModelFault[] = []
  checkGrammar(parseXml(new TextEncoder().encode(document), 'model.xml'), faults, warnings)
  return { faults: faults.items, warnings }
}

/** The documents on which MuJoCo and the grammar check disagree, in words. */
export async function disagreements(documents: Iterable<string>): Promise<string[]> {
  const found: string[] = []
  for (const document of documents) {
    const error = await mujocoError(document)
    const { faults } = grammarFaults(document)
    if (ofTheGrammar(error) === faults.length > 0) continue
    found.push(
      `${document}\n  MuJoCo: ${error || 'compiles'}\n  here: ${faults.map(({ message }) => message).join(' ')}`,
    )
  }
  return found
}
