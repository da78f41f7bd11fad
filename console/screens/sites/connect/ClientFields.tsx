import { Field } from '../../../design/Field.tsx'

interface Client {
  id: string
  secret: string
}

/** The client that somebody registered at the site, because the site registers none itself. */
export const ClientFields = ({ client, onChange }: { client: Client; onChange: (client: Client) => void }) => (
  <>
    <Field
      label="Client id"
      hint={`This site does not register clients itself. Register one in its settings, with the redirect URI ${location.origin}/vault/oauth/callback.`}
      type="text"
      autoComplete="off"
      isRequired
      maxLength={2048}
      value={client.id}
      onChange={(id) => onChange({ ...client, id })}
    />
    <Field
      label="Client secret"
      hint="Only if the site gave you one. It is stored encrypted."
      type="password"
      autoComplete="off"
      maxLength={4096}
      value={client.secret}
      onChange={(secret) => onChange({ ...client, secret })}
    />
  </>
)
