import test from 'ava'
import * as fc from 'fast-check'
import { canonicalJson, jsonFingerprint } from '../../src/canonical-json.ts'

test('the order of members does not count, that of lists does', (t) => {
  t.is(canonicalJson({ b: [2, 1], a: { d: 'é', c: null } }), '{"a":{"c":null,"d":"é"},"b":[2,1]}')
})

test('a value has the fingerprint that it has once it was stored, numbers beyond all bounds included', (t) => {
  const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  const found: unknown = JSON.parse('{"most":1e400,"least":-0.0}')
  t.is(jsonFingerprint(found), jsonFingerprint(stored(found)))
  fc.assert(fc.property(fc.jsonValue(), (value) => jsonFingerprint(value) === jsonFingerprint(stored(value))))
})
