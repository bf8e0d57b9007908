/**
 * `Content-Disposition: attachment` for any file name (RFC 6266): an ASCII fallback for old clients and the UTF-8 name
 * for the others.
 *
 * `name` is a base name; separators, control characters and what could end the quoted string become `_` in the
 * fallback.
 */
export function attachment(name: string): string {
  const whole = name.toWellFormed()
  const ascii = whole.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll(/["\\/%]/g, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${extendedValue(whole)}`
}

/** RFC 8187 `ext-value`: `encodeURIComponent` leaves four characters alone that are not allowed there. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}
