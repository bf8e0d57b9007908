import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import canonicalize from 'canonicalize'
import type { JointMap } from './joint-map.ts'

/** Lower-case hex SHA-256 of the map's canonical JSON (RFC 8785), by the rule of the fingerprints of interfaces. */
export const fingerprintOf = (map: JointMap) => bytesToHex(sha256(utf8ToBytes(canonicalize(map) as string)))
