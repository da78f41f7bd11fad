import type { Fault } from './fault.ts'

/** Deletions of accounts and workspaces, and exports. */
export const deletions: Fault[] = [
  {
    id: 'deletions/never-revoked',
    file: 'src/vault/removal.ts',
    find: 'const noted = await revocations.note(trx, entries)',
    replace: 'const noted: string[] = []',
    why: 'a credential of a deleted account stays good at its site',
    tests: ['test/crash/deletions.test.ts'],
  },
  {
    id: 'deletions/invitations-stay',
    file: 'src/deletion/statements.ts',
    find: "  by('invitations', 'email', 'id', email),\n",
    replace: '',
    why: 'the address of a deleted account stays in invitations of others, and whoever registers it next is invited',
    tests: ['test/deletion/everything.test.ts'],
    match: '*deleted account*',
  },
  {
    id: 'deletions/no-index',
    file: 'src/deletion/large-batches.ts',
    find: 'from runs where owner_id = (select :ownerId::uuid) order by id',
    replace: 'from runs where owner_id = :ownerId order by id',
    why: 'each batch of a deletion reads the runs of everybody',
    tests: ['test/deletion/plans.test.ts'],
  },
  {
    id: 'deletions/keys-go-on',
    file: 'src/users/authenticate.ts',
    find: "    assertThat(found.deletionDueAt === null, 'TOKEN_REVOKED', { message: rests })\n",
    replace: '',
    why: 'a stolen API key works on after its owner has asked for the end of the account',
    tests: ['test/deletion/grace.test.ts'],
  },
  {
    id: 'deletions/restored-too-late',
    file: 'src/users/authenticate.ts',
    find: "    assertThat(!isOver, 'TOKEN_REVOKED', { message: beingDeleted })\n",
    replace: '',
    why: 'an account is restored of which a part is deleted already',
    tests: ['test/deletion/grace.test.ts'],
  },
  {
    id: 'deletions/secrets-exported',
    file: 'api/exports.ts',
    find: "({ ...caller, scopes: ['read'] })",
    replace: '({ ...caller })',
    why: 'exports hold the secrets of webhooks',
    tests: ['test/exports/exports.test.ts'],
  },
  {
    id: 'deletions/silently-short',
    file: 'api/streams/document.ts',
    find: '    ctx.res.destroy()\n    return\n',
    replace: '    ctx.res.end()\n    return\n',
    why: 'an export that broke off looks as if it had been sent whole',
    tests: ['test/exports/streamed.test.ts'],
  },
]
