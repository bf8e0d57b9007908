/**
 * Options of an output field that always has a value, where the interface of `/v1` says that it may be null: its
 * OpenAPI document goes on saying so.
 */
export const nullInV1 = { extensions: { nullInV1: true } } as const
