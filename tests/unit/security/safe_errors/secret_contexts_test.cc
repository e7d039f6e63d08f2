#include "security/safe_errors/secret_contexts.h"

#include <string>
#include <string_view>

#include "common/json.h"
#include "gtest/gtest.h"
#include "security/safe_errors/masker.h"

namespace toolgate::security::safe_errors {
namespace {

struct ContextRow {
  std::string text;
  std::string masked;  // Empty: unchanged.
};

template <size_t N>
void ExpectMasksInContext(const ContextRow (&rows)[N]) {
  const Masker masker;
  for (const ContextRow& row : rows) {
    const std::string masked = masker.Mask(row.text);
    EXPECT_EQ(masked, row.masked.empty() ? row.text : row.masked);
    EXPECT_EQ(masker.Mask(masked), masked) << "masked once more";
  }
}

TEST(SecretContextsTest, WhatACommandIsGivenIsMaskedWhereThatCommandTakesASecret) {
  const ContextRow rows[] = {
      {"mysql -u root -phunter2 shop", "mysql -u root -p[masked:password] shop"},
      {"mysql -u root -p hunter2", "mysql -u root -p [masked:password]"},
      {"$ /usr/bin/mysqldump -p'hunter 2' shop", "$ /usr/bin/mysqldump -p'[masked:password]' shop"},
      {"sshpass -p correcthorse ssh joe@host", "sshpass -p [masked:password] ssh joe@host"},
      {"docker exec db mariadb -uroot -psesame", "docker exec db mariadb -uroot -p[masked:password]"},
      {"docker login -u joe -p correcthorse r.example", "docker login -u joe -p [masked:password] r.example"},
      {"redis-cli -h db -a correcthorse ping", "redis-cli -h db -a [masked:password] ping"},
      {"mongosh --host x -u joe -p \"correct\"", "mongosh --host x -u joe -p \"[masked:password]\""},
      {"7z a -pcorrecthorse x.7z", "7z a -p[masked:password] x.7z"},
      {"unzip -P correcthorse x.zip", "unzip -P [masked:password] x.zip"},
      {"ldapsearch -x -w correcthorse", "ldapsearch -x -w [masked:password]"},
      {"curl -u joe:hunter2 https://x.example", "curl -u joe:[masked:password] https://x.example"},
      {"curl -ujoe:hunter2 x", "curl -ujoe:[masked:password] x"},
      {"curl -sS --user 'joe:a b' x", "curl -sS --user 'joe:[masked:password]' x"},
      {"curl --proxy-user joe:sesame x", "curl --proxy-user joe:[masked:password] x"},
      {"http -a joe:sesame :8080", "http -a joe:[masked:password] :8080"},
      {"smbclient //h/s -U joe%sesame", "smbclient //h/s -U joe%[masked:password]"},
      // The same options of other commands, and other uses of the same command.
      {"ssh -p 2222 host1", ""},
      {"docker run -p 8080:80 --user 1000:1000 app1", ""},
      {"docker run -u 1000:1000 curlimages/curl", ""},
      {"mysql -u root -p shop", ""},
      {"mysql -u root -p < dump2024.sql", ""},
      {"mysql -P 3306 -h db1", ""},
      {"psql -p 5432", ""},
      {"mkdir -p build2/x", ""},
      {"mysql is slow; mkdir -p build2", ""},
      {"the mysql client\nmkdir -p build2", ""},
      {"curl -u joe https://x.example:8443", ""},
      {"curl -u joe: x", ""},
      {"curl -u \"$USER:$PASS\" -u user:password x", ""},
      {"curl -u joe:${PASS} x", ""},
      {"sshpass -p $PASS ssh x", ""},
      {"mysql -p$PASS -p<password>", ""},
      {"docker login -p password", ""},
      {"tar -u a:b1 curl.tar", ""},
  };
  ExpectMasksInContext(rows);
}

TEST(SecretContextsTest, ASecretThatASentenceSaysIsMasked) {
  const ContextRow rows[] = {
      {"The password is hunter2.", "The password is [masked:password]."},
      {"my password was S3same!, ok?", "my password was [masked:password], ok?"},
      {"Das Passwort lautet hunter2", "Das Passwort lautet [masked:password]"},
      {"Das Passwort ist: hunter2", "Das Passwort ist: [masked:password]"},
      {"la contraseña es hunter2", "la contraseña es [masked:password]"},
      {"le mot de passe est hunter2", "le mot de passe est [masked:password]"},
      {"the API key is abc123def", "the API key is [masked:password]"},
      {"the password is 'correct horse 1'", "the password is '[masked:password]'"},
      {"password is 12345678", "password is [masked:password]"},
      {"password **is** x", ""},
      {"The password is required and was not given", ""},
      {"password is incorrect", ""},
      {"The password is 8 characters long", ""},
      {"the password is 1234 characters long", ""},
      {"the token is 128-bit and base64-encoded", ""},
      {"The password is sha256-hashed, the key material is 256bit", ""},
      {"password is $PASSWORD", ""},
      {"password is <your password1>", ""},
      {"The token is expired (2024)", ""},
      {"token is T_STRING2", ""},
      {"the token is 0x1F", ""},
      {"the password is /etc/passwd1", ""},
      {"the secret is get_secret(1)", ""},
      {"what the secret is, nobody1 knows", ""},
      {"the cookie is r2d2", ""},
      {"his password", ""},
      {"authorization is 2fa1 based", ""},
  };
  ExpectMasksInContext(rows);
}

TEST(SecretContextsTest, AKeyThatFollowsOnItsNameIsMaskedWithoutASign) {
  const std::string random = "aB3xK9pQ7mZ2rT5w";
  const std::string hex = "3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
  const ContextRow rows[] = {
      {"aws secret is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY for x", "aws secret is [masked:password] for x"},
      {"signing secret " + hex + " mismatch", "signing secret [masked:password] mismatch"},
      {"encryption key 0x" + hex + hex, "encryption key [masked:password]"},
      {"bad token \"" + random + "\"", "bad token \"[masked:password]\""},
      {"api key '" + random + "' rejected", "api key '[masked:password]' rejected"},
      {"api key " + random + ", which", "api key [masked:password], which"},
      {"Incorrect API key provided: " + random + ".", "Incorrect API key provided: [masked:password]."},
      {"joined with password hunter2, ok", "joined with password [masked:password], ok"},
      {"ENV DB_PASSWORD hunter2", "ENV DB_PASSWORD [masked:password]"},
      {"machine h login u password hunter2", "machine h login u password [masked:password]"},
      {"port 1\nrequirepass hunter2", "port 1\nrequirepass [masked:password]"},
      {"CONFIG SET requirepass hunter2", "CONFIG SET requirepass [masked:password]"},
      {"Password for joe: " + random, "Password for joe: [masked:password]"},
      {"tool -u admin:" + random + " x", "tool -u admin:[masked:password] x"},
      {"-u admin:" + random, "-u admin:[masked:password]"},
      // Words, names, times, measures.
      {"the requirepass directive", ""},
      {"Password for joe: ", ""},
      {"Password for joe: denied", ""},
      {"primary key " + random, ""},
      {"the secret sauce2024recipes, the api key keyFromTheFile2", ""},
      {"API key base64url2text8bytes", ""},
      {"unexpected token \"identifier_2\", token 2026-11-24T10:11:12Z, token v1.2.3-beta.4", ""},
      {"with password protection, using password hashing", ""},
      {"the secret key is required; a password 12 characters long", ""},
      {"bad token \"" + random + "\nx", ""},
      {"tool -u 1000:1000 -u joe:staff", ""},
  };
  ExpectMasksInContext(rows);
}

TEST(SecretContextsTest, APinIsMaskedAndThePinOfAConnectorIsNot) {
  const ContextRow rows[] = {
      {"PIN: 4711", "PIN: [masked:password]"},
      {"pin=123456 x", "pin=[masked:password] x"},
      {"card_pin = \"4711\"", "card_pin = \"[masked:password]\""},
      {"{\"cardPin\":\"4711\"}", "{\"cardPin\":\"[masked:password]\"}"},
      {"Your PIN is 4711.", "Your PIN is [masked:password]."},
      {"Die PIN lautet 4711", "Die PIN lautet [masked:password]"},
      {"PIN code: 4711, PIN-Code: 4712", "PIN code: [masked:password], PIN-Code: [masked:password]"},
      {"use PIN 4711 now", "use PIN [masked:password] now"},
      {"GPIO pin: 13, pin=27, pin 2048", ""},
      {"PIN 560001", ""},
      {"pin: 1234.5, pin: 2024-01-02, pin: 0x1234", ""},
      {"spin: 4711, pins: 4711, PINs 4711", ""},
      {"pin it to version 4711", ""},
      {"pin: true", ""},
  };
  ExpectMasksInContext(rows);
  EXPECT_EQ(Masker().MaskJson(Json::parse(R"({"pin":4711,"x":{"simPin":"0815"},"gpio":{"pin":13},"spin":4711})")),
            R"({"pin":"[masked:password]","x":{"simPin":"[masked:password]"},"gpio":{"pin":13},"spin":4711})");
}

TEST(SecretContextsTest, KeysWithoutAFormAreMaskedWhereTheirServiceIsNamed) {
  const std::string key = "pKvURIxJVi2CgRXROh/M6pJ/UrTVRZKX+LQ+QtqJI4vBNibkPcs43bCCSIkn7JBPtCBXRDmD6IWFF51QVRr+Yg==";
  const std::string vault = std::string("s.") + "Xa81nQ0fKz7LmP3rT5vB9cDe";
  const std::string tunnel = "2KbH8vQz3TnY5mX0cR7dW1eF4gL_6pS9uA2bC4dE6fG8hJ1k";
  const ContextRow rows[] = {
      {"key1 of the Azure storage: " + key, "key1 of the Azure storage: [masked:token]"},
      {"az storage blob list --account x; key " + key + ",", "az storage blob list --account x; key [masked:token],"},
      {"integrity sha512-" + key, ""},
      {"\"azure-storage\": \"sha512-" + key + "\"", ""},
      {"a digest " + key, ""},
      {"export VAULT_ADDR=x; vault login " + vault, "export VAULT_ADDR=x; vault login [masked:token]"},
      {"it has " + vault, ""},
      {"vault: s.toUpperCaseOfEverythingIn1", ""},
      {"ngrok config add-authtoken " + tunnel, "ngrok config add-authtoken [masked:token]"},
      {"ngrok authtoken " + tunnel, "ngrok authtoken [masked:token]"},
      {"ngrok http " + tunnel, ""},
  };
  ExpectMasksInContext(rows);
}

TEST(SecretContextsTest, TheSecretsLevelMasksTheseAsWell) {
  const Masker masker(MaskLevel::kSecrets);
  EXPECT_EQ(masker.Mask("curl -u joe:hunter2 x"), "curl -u joe:[masked:password] x");
  EXPECT_EQ(masker.Mask("the password is hunter2"), "the password is [masked:password]");
  EXPECT_EQ(masker.Mask("BSN 111222333"), "BSN 111222333");
}

}  // namespace
}  // namespace toolgate::security::safe_errors
