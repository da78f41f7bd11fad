import test from 'ava'
import { temporalAddress } from '../../console/parts/temporal-address.ts'

const template = 'https://temporal.example/namespaces/default/workflows/run%2F{id}'

for (const [id, end] of [
  ['0199b2c4-7a10-7cc3-8f7e-1f2d3c4b5a69', '0199b2c4-7a10-7cc3-8f7e-1f2d3c4b5a69'],
  ['../a?b', '..%2Fa%3Fb'],
] as const)
  test(`the workflow of the run ${id} is at run%2F${end}`, (t) =>
    t.is(temporalAddress(template, id), `https://temporal.example/namespaces/default/workflows/run%2F${end}`))
