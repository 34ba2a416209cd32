import { secretPurpose } from "./create-webhook.ts";
import type { PeriodicWork } from "./periodic-work.ts";

/** After a change of the installation's secret, encrypts with the new one what the one before had encrypted. */
export const resealSecrets: PeriodicWork = {
  name: "encrypt secrets anew",
  everyMs: 3_600_000,
  async sweep({ storage, secrets, clock, log }) {
    for (const { id, secretCipher, previousSecretCipher } of await storage.webhooks.secrets()) {
      const sealed = [secretCipher, ...(previousSecretCipher === null ? [] : [previousSecretCipher])];
      if (sealed.every((each) => secrets.isCurrent(each))) continue;
      const purpose = secretPurpose(id);
      const anew = (each: string) => secrets.seal(secrets.open(each, purpose), purpose);
      try {
        const previous = previousSecretCipher === null ? null : anew(previousSecretCipher);
        const input = { id, from: secretCipher, secretCipher: anew(secretCipher), previousSecretCipher: previous };
        await storage.webhooks.reseal({ ...input, at: clock.now() });
      } catch (error) {
        log.error({ err: error, webhookId: id }, "the secret of a webhook cannot be read");
      }
    }
  },
};
