import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { to } from '../../../addresses.ts'
import { api, type Api } from '../../../api/client.ts'
import { detailOf } from '../../../api/problem.ts'
import { Button } from '../../../design/Button.tsx'
import { Field } from '../../../design/Field.tsx'
import { notify } from '../../../design/notices.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import type { Owner } from '../../../session/workspace.ts'
import styles from './Connect.module.css'
import { useCatalogueEntry } from './useCatalogue.ts'

export interface LoginProps {
  site: Api['Site']
  url: string
  owner: Owner
  /** The hosts that were ticked, and whether all are. */
  hosts: { accepted: readonly string[]; areAll: boolean }
  /** The names of the chosen tools, at a site that offers a choice. */
  chosen?: readonly string[] | undefined
}

/** A token that the site issued, unless it needs none. */
export const TokenForm = ({ site, url, owner, hosts, chosen }: LoginProps) => {
  const [token, setToken] = useState('')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const adding = api.useMutation('post', '/vault', {
    async onSuccess({ id, name, status }) {
      if (status === 'needs_reauth')
        notify('problem', `“${shownText(name)}” rejected the token. Open the site to replace it.`)
      else notify('done', `“${shownText(name)}” is connected.`)
      await navigate({ ...to.connect(owner.address, { entry: id }), replace: true })
      await queries.invalidateQueries()
    },
  })
  const problem = detailOf(adding.error, 'token')
  const body = { ...owner.query, url, ...(chosen && { tools: [...chosen] }), acceptHosts: [...hosts.accepted] }
  const needsToken = site.authType !== 'none'
  const help = useCatalogueEntry(owner, { url, origin: site.origin })?.tokenHelp
  return (
    <Form
      className={styles.form as string}
      onSubmit={(event) => {
        event.preventDefault()
        adding.mutate({ body: { ...body, ...(needsToken && { token: token.trim() }) } })
      }}
    >
      {needsToken && (
        <Field
          label="Token"
          hint={`${shownText(help ?? 'Create it in the settings of the site.')} ${kept}${chosen ? ` ${basic}` : ''}`}
          type="password"
          autoComplete="off"
          isRequired
          maxLength={8192}
          value={token}
          onChange={setToken}
          problem={problem}
        />
      )}
      {adding.error && problem === undefined && <ErrorBox error={adding.error} />}
      <div>
        <Button
          type="submit"
          kind={site.offersSignIn ? 'secondary' : 'primary'}
          busy={adding.isPending}
          isDisabled={!hosts.areAll || chosen?.length === 0}
        >
          {site.offersSignIn ? 'Connect without sign-in' : 'Connect site'}
        </Button>{' '}
        <Curl
          action={{
            method: 'POST',
            path: '/vault',
            body: { ...body, ...(needsToken && { token: 'the token from the site' }) },
          }}
        />
      </div>
    </Form>
  )
}

const kept = 'It is stored encrypted, sent only to the site, and tried at once if the site has a tool that only reads.'
const basic = 'If the API wants a user name and a password, write both with a colon between.'
