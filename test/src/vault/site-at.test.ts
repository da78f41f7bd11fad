import test from 'ava'
import { isSiteAt } from '../../../src/vault/site-at.ts'

const host = 'https://a.example'

const cases = [
  ['manifest', host, host, true],
  ['manifest', `${host}/docs/`, host, true],
  ['manifest', `${host}:8443`, host, false],
  ['mcp', `${host}/mcp`, `${host}/mcp`, true],
  ['mcp', host, `${host}/`, true],
  ['mcp', `${host}/mcp`, `${host}/other`, false],
  ['mcp', `${host}/mcp?team=1`, `${host}/mcp`, false],
  ['mcp', `${host}/api.json#https://b.example/v1/`, `${host}/api.json#https://b.example/v1`, true],
  ['mcp', `${host}/api.json#https://b.example/v2`, `${host}/api.json#https://b.example/v1`, false],
  // The fragment names the server that a document describes.
  ['mcp', `${host}/api.json`, `${host}/api.json#https://b.example/v1`, true],
] as const

for (const [dialect, address, origin, is] of cases)
  test(`a site of kind ${dialect} at ${address} is ${is ? '' : 'not '}that of the key ${origin}`, (t) => {
    t.is(isSiteAt({ dialect, origin }, { dialect, address }), is)
  })

test('a site of another kind is another one', (t) => {
  t.false(isSiteAt({ dialect: 'manifest', origin: host }, { dialect: 'mcp', address: host }))
})
