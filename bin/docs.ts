import { writeFile } from 'node:fs/promises'
import { openapi } from '../api/openapi/openapi.ts'
import { codesOf } from '../api/route/route-rules.ts'
import { routes } from '../api/routes.ts'
import { catalogue, type ErrorCode } from '../src/errors.ts'

/** `npm run docs`: writes the generated documents. A test fails when they are out of date. */

const here = (file: string): URL => new URL(`../docs/${file}`, import.meta.url)

/** The error catalogue as a page: the meaning of each code, whether to retry, and how many routes return it. */
export function errorsPage(): string {
  const rows = (Object.keys(catalogue) as ErrorCode[]).map((code) => {
    const { status, message, retryable } = catalogue[code]
    const answering = routes.filter((route) => codesOf(route).includes(code)).length
    return `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${answering} | ${message} |`
  })
  return [
    '# Errors',
    '',
    'Every error response is `{ "error", "code", "statusCode" }`. For invalid input it also has `details`, a list of',
    '`{ "path", "message" }`. The header `X-Request-Id` identifies the request; quote it when you ask for help. `error` is',
    'for people, and may say more than the sentence below; programs should use `code`.',
    '',
    'The codes are those of [the specification](specification.md#codes), with two additions: `INTERNAL_ERROR`, for errors for',
    'which there is no other code, and `METHOD_NOT_ALLOWED`, for a path that exists and a method that it does not take. *Again*',
    'says whether the same request may succeed later. *Routes* counts the operations that can return the code;',
    '`/openapi.json` lists them. `METHOD_NOT_ALLOWED` comes from no operation. Any other code with 0 belongs to a part of the',
    'platform that is not built yet.',
    '',
    'Every 401 has a `WWW-Authenticate` header: `Bearer`, with `error="invalid_token"` if a bearer token was sent and refused,',
    'and `Webhook` with the name of the missing or wrong `header` for `WEBHOOK_SECRET_INVALID`. A 405 lists the methods of the',
    'path in `Allow`.',
    '',
    '| code | status | again | routes | meaning |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The OpenAPI document with a neutral server address. */
export const openapiFile = (): string => `${JSON.stringify(openapi(routes, 'http://127.0.0.1:3000'), null, 2)}\n`

if (import.meta.main) {
  await writeFile(here('errors.md'), errorsPage())
  await writeFile(here('openapi.json'), openapiFile())
  console.log('Written: docs/errors.md, docs/openapi.json')
}
