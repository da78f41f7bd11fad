import test from 'ava'
import { tokenIn } from '../../console/session/link-token.ts'

const token = `sy_verify_${'aB3-_'.repeat(8)}abc`

for (const [fragment, found] of [
  [`token=${token}`, token],
  [`#token=${token}`, token],
  [token, token],
  [`#${token}`, token],
  ['', undefined],
  ['#', undefined],
  ['token=', undefined],
  ['content', undefined],
  [`token=${token}&more=1`, undefined],
  [`token=${token}%20`, undefined],
  [`token=sy_${'a'.repeat(200)}`, undefined],
  ['token=<script>', undefined],
] as const)
  test(`the fragment ${fragment.length > 60 ? `${fragment.slice(0, 12)}… of ${fragment.length} characters` : fragment} has ${found === undefined ? 'no token' : 'a token'}`, (t) => {
    t.is(tokenIn(fragment), found)
  })
