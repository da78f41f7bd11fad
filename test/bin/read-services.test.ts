import test from 'ava'
import { bytesOf, moved, readServices } from '../../bin/compose.ts'

const text = `
x-shared: &shared { read_only: true }
services:
  api:
    <<: *shared
    image: switchyard
    environment: { NAMESPACE: '\${NAMESPACE:-default}', BILLING: '\${BILLING:?set it}', PRICE: $$5 }
    command: [sh, -c, 'echo "$$(cat file)"']
  postgres: { image: postgres, command: postgres -c max_connections=300 }
`

test('services are read with merged members and with variables filled in as Compose does', (t) => {
  t.deepEqual(readServices(text, { BILLING: 'off' }), {
    api: {
      read_only: true,
      image: 'switchyard',
      environment: { NAMESPACE: 'default', BILLING: 'off', PRICE: '$5' },
      command: ['sh', '-c', 'echo "$(cat file)"'],
    },
    postgres: { image: 'postgres', environment: {}, command: ['postgres', '-c', 'max_connections=300'] },
  })
  t.is(readServices(text, { BILLING: 'off', NAMESPACE: 'own' })['api']?.environment?.['NAMESPACE'], 'own')
  t.throws(() => readServices(text, {}), { message: 'BILLING is not set: set it' })
})

test('sizes are powers of 1024, and a size without a unit is refused', (t) => {
  t.deepEqual(['1k', '512m', '2g', '2GB'].map(bytesOf), [1024, 512 * 1024 ** 2, 2 * 1024 ** 3, 2 * 1024 ** 3])
  t.throws(() => bytesOf('1024'), { message: /not a size/ })
})

test('names of the Compose network become addresses of this machine', (t) => {
  const places = { '/run/secrets/database_url': '/one/url', '/run/secrets': '/two', 'temporal:7233': '127.0.0.1:1' }
  const given = { A_FILE: '/run/secrets/database_url', B_FILE: '/run/secrets/keys', C: 'temporal:7233', D: 'other' }
  t.deepEqual(moved(given, places), { A_FILE: '/one/url', B_FILE: '/two/keys', C: '127.0.0.1:1', D: 'other' })
})
