/** The hub's public keys: what verifies the tokens that it signs for devices and policy servers. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Edge } from '../../src/http/server.ts'
import { everywhere, openToAll, problem, text } from '../engine/handler-openapi.ts'
import type { HandlerRoute } from '../engine/handler-route.ts'

const keysOf = (edge: Edge, request: FastifyRequest) => edge.contextOf(request).deps.signingKeys.jwks()
const cached = (reply: FastifyReply) => reply.header('cache-control', 'public, max-age=60')

const signingKey: HandlerRoute = {
  operation: 'getSigningKey',
  method: 'GET',
  path: '/v1/devices/signing-key',
  answersHead: true,
  refusesQuery: true,
  openApi: {
    summary: "The hub's public signing key",
    description: "A JSON Web Key (RFC 8037) that verifies the hub's current signatures.\n\nScope: `none`.",
    tags: ['devices'],
    ...openToAll,
    responses: {
      '200': {
        description: 'The key.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                kty: { const: 'OKP' },
                crv: { const: 'Ed25519' },
                x: text,
                kid: text,
                alg: { const: 'EdDSA' },
                use: { const: 'sig' },
              },
              required: ['kty', 'crv', 'x', 'kid', 'alg', 'use'],
            },
          },
        },
      },
      '422': problem('Validation failed'),
      ...everywhere,
    },
  },
  handle: async (edge, request, reply) => cached(reply).send((await keysOf(edge, request))[0]),
}

/** Every key that still verifies, where libraries for JSON Web Tokens look for them. */
const wellKnownKeys: HandlerRoute = {
  operation: 'getJwks',
  method: 'GET',
  path: '/.well-known/jwks.json',
  answersHead: true,
  openApi: null,
  handle: async (edge, request, reply) => cached(reply).send({ keys: await keysOf(edge, request) }),
}

export const handlers: readonly HandlerRoute[] = [signingKey, wellKnownKeys]
