/** Sign-in through OpenID Connect: providers of workspaces, identities at providers, and attempts in progress. */
export const signIn = `
  -- A new issuer or client is a new provider: its row is replaced, and linked identities are deleted.
  create table workspace_providers (
    id uuid not null,
    workspace_id uuid not null,
    created_at timestamptz not null,
    issuer text not null,
    client_id text not null,
    -- sealed
    client_secret text not null,
    constraint workspace_providers_pkey primary key (id),
    constraint workspace_providers_one unique (workspace_id),
    constraint workspace_providers_workspace_fk foreign key (workspace_id) references workspaces (id) on delete cascade
  );

  create table identities (
    id uuid not null,
    user_id uuid not null,
    -- null: a provider of the installation
    workspace_provider_id uuid,
    linked_at timestamptz not null,
    -- the name of a provider of the installation, or the id of the workspace
    provider text not null,
    issuer text not null,
    subject text not null,
    constraint identities_pkey primary key (id),
    constraint identities_user_fk foreign key (user_id) references users (id) on delete cascade,
    constraint identities_provider_fk
      foreign key (workspace_provider_id) references workspace_providers (id) on delete cascade,
    constraint identities_subject_length check (char_length(subject) between 1 and 255)
  );
  -- A workspace provider's identities apply to that workspace only, whatever issuer it names.
  create unique index identities_of_installation on identities (issuer, subject) where workspace_provider_id is null;
  create unique index identities_of_workspace on identities (workspace_provider_id, issuer, subject)
    where workspace_provider_id is not null;
  create index identities_list on identities (user_id, id);

  create table sign_in_flows (
    id uuid not null,
    -- the account to link, and its login; null: a sign-in
    user_id uuid,
    login_id uuid,
    workspace_provider_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    provider text not null,
    -- hashes of the secrets in the address, the state and the cookie
    ticket_hash text not null,
    state_hash text,
    binding_hash text,
    -- sealed; erased at the end
    verifier text,
    -- the network that started it
    network text not null,
    return_to text,
    -- the outcome, and the reason of a failure, as an error code and in words
    outcome text,
    code text,
    message text,
    constraint sign_in_flows_pkey primary key (id),
    constraint sign_in_flows_ticket_unique unique (ticket_hash),
    constraint sign_in_flows_state_unique unique (state_hash),
    constraint sign_in_flows_user_fk foreign key (user_id) references users (id) on delete cascade,
    constraint sign_in_flows_login_fk foreign key (login_id) references logins (id) on delete cascade,
    constraint sign_in_flows_provider_fk
      foreign key (workspace_provider_id) references workspace_providers (id) on delete cascade,
    constraint sign_in_flows_linking check ((user_id is null) = (login_id is null))
  );
  create index sign_in_flows_over on sign_in_flows (expires_at);
  create index sign_in_flows_network on sign_in_flows (network, expires_at);
  create index sign_in_flows_user on sign_in_flows (user_id);
  create index sign_in_flows_login on sign_in_flows (login_id);
  create index sign_in_flows_provider on sign_in_flows (workspace_provider_id);
`
