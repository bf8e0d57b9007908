/**
 * ANSI escape sequences out of a log line. Pure.
 *
 * Node's `stripVTControlCharacters` and the package it comes from look for the end of an operating system command from each of its beginnings: 256 KiB of
 * beginnings alone take them 45 s. Here no repetition can pass the beginning of another sequence, so the time is linear whatever a runner sends.
 */

/** ECMA-48: a command string (OSC, DCS, APC, PM, SOS) to its terminator, a control sequence to its final byte, a two- or three-character escape. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]+[0-~]|\x1b[0-Z\\^-~]/g

/** What is left when every escape sequence is taken out; one that was cut off by the end of the line stays as it is. */
export function stripAnsi(text: string): string {
  return text.includes('\x1b') || /[\x80-\x9f]/.test(text) ? text.replace(sequences, '') : text
}
