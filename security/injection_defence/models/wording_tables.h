// The model of wording.h in its final form: at build time phrase_model_packer.cc generates its source from
// wording_model.tsv, so that nothing is parsed when the program starts.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_MODELS_WORDING_TABLES_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_MODELS_WORDING_TABLES_H_

#include "security/injection_defence/wording/phrase_model.h"

namespace toolgate::security::injection_defence::models {

namespace released {
wording::PhraseTables Tables();
}

}  // namespace toolgate::security::injection_defence::models

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_MODELS_WORDING_TABLES_H_
